/** The build puts in the version of package.json; sources run as they are call themselves so. */
declare const FUEL_CODE_VERSION: string | undefined;

export const VERSION = typeof FUEL_CODE_VERSION === 'string' ? FUEL_CODE_VERSION : '0.0.0-source';
