/** muted: it does not run, nor does what depends on it alone · bypassed: it does not run, and what arrives at it is passed on. */
export const NODE_MODES = ['muted', 'bypassed'] as const
export type NodeMode = (typeof NODE_MODES)[number]

/** Names, because each stands for other values in the light and in the dark theme. */
export const MARK_COLORS = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const
