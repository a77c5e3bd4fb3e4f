/** Increased whenever the same bytes produce different rows. In its own file so that comparing it needs no parser. */
export const PARSER_VERSION = 11;
