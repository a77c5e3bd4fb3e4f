/** Set by the build from package.json; missing when the source runs directly. */
declare const FUEL_CODE_VERSION: string | undefined;

export const VERSION = typeof FUEL_CODE_VERSION === 'string' ? FUEL_CODE_VERSION : '0.0.0-source';
