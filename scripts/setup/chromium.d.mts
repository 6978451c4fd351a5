/** The executable of an installed Chromium; null if there is none. */
export function findChromium(env?: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string | null
export const CHROMIUM_MISSING: string
export const CHROMIUM_FLAGS: string[]
