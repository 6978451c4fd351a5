/** Reports whether `root` is a clone of the repository; otherwise it was installed by npm. */
export function isClone(root: string): boolean
/** The folder of the Python environment of the trainer. */
export function trainerEnvironment(root: string, env?: Readonly<Record<string, string | undefined>>): string
/** Folder of the Python environment that contains Ray in addition to the trainer. */
export function rayFolder(root: string, env?: Readonly<Record<string, string | undefined>>): string
/** The interpreter of an environment. */
export function pythonIn(folder: string): string
/** Command that prepares everything that `root` needs. */
export function setupCommand(root: string): string
