/** How many rows one answer may have; more are on the next page. */
export const MAX_PAGE_ROWS = 200;
export const DEFAULT_PAGE_ROWS = 50;

/** Of lists of tools and files, which have no pages. */
export const DEFAULT_WORK_ROWS = 30;
export const MAX_WORK_ROWS = 10_000;
