/** muted: neither the node nor nodes that depend only on it run · bypassed: the node does not run, and its input is passed on. */
export const NODE_MODES = ['muted', 'bypassed'] as const
export type NodeMode = (typeof NODE_MODES)[number]

/** Names instead of values, because each has different values in the light and in the dark theme. */
export const MARK_COLORS = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const
