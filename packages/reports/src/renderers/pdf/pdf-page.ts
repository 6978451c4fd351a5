/** Width of an A4 page, its side margins and the width of its text, in points. */
const PAGE_WIDTH = 595.28
export const MARGIN = 46
export const WIDTH = PAGE_WIDTH - 2 * MARGIN
