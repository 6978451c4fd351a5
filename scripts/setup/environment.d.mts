/** Whether `root` is a clone of the repository; else it is what npm has installed. */
export function isClone(root: string): boolean
/** The folder of the Python environment of the trainer. */
export function trainerEnvironment(root: string, env?: Readonly<Record<string, string | undefined>>): string
/** The folder of the Python environment that has Ray beside the trainer. */
export function rayFolder(root: string, env?: Readonly<Record<string, string | undefined>>): string
/** The interpreter of an environment. */
export function pythonIn(folder: string): string
/** What makes everything ready that `root` needs. */
export function setupCommand(root: string): string
