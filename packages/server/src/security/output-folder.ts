import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { type Phrase, phrase } from '@medloom/contracts'
import { AppError, StartError } from '../errors.js'
import { isInside } from '../storage/is-inside.js'
import { type WatchedFolder, watchOutputFolder } from '../storage/own-folder.js'
import { OUTPUT_FOLDER, startFault } from '../system-fault.js'

/** The folder below which nodes write files to the paths in their configs, and nowhere else. */
export interface OutputFolder {
  /** Absolute, real path. */
  readonly path: string
  /**
   * The real, absolute path of a location in the folder, which need not exist yet. A relative path is resolved against the folder.
   * @throws AppError PATH_NOT_ALLOWED outside the folder after links are resolved, inside the data of the service, or hidden.
   */
  resolve(requested: string): Promise<string>
  /** A location relative to the folder, with / between its parts; empty: the folder itself. @throws like `resolve`. */
  place(requested: string): Promise<string>
  /** Resolves while the folder is still where it was at the start. @throws AppError OUTPUT_FOLDER_MISSING */
  confirm(): Promise<void>
  close(): void
  /** The path of a single file: in a folder it gets the name `name`, and a path without extension gets that of `name`. */
  placeOfFile(requested: string, name: string): Promise<string>
}

/**
 * @param requested null: `outputs` in the data folder, which is created.
 * @throws StartError when it cannot be created, or is a part of the data folder that belongs to the service.
 */
export async function openOutputFolder(requested: string | null, dataDir: string): Promise<OutputFolder> {
  const own = join(dataDir, 'outputs')
  let path: string
  try {
    await mkdir(requested ?? own, { recursive: true, mode: 0o700 })
    path = await realpath(requested ?? own)
  } catch (error) {
    const known = startFault(error, requested ?? own, OUTPUT_FOLDER)
    if (known instanceof StartError) throw known
    throw new StartError(
      `the output folder ${requested ?? own} cannot be used: ${(error as Error).message}`,
      'Choose another folder with --output-root, or fix its permissions.',
    )
  }
  if (isInside([dataDir], path) && !isInside([own], path))
    throw new StartError(
      `--output-root is ${path}, which contains the data of the service`,
      'Choose a folder outside the data folder, or remove --output-root.',
    )
  // Inside the data folder it is watched together with that, and may be removed and created again.
  const watched = isInside([dataDir], path)
    ? { path, confirm: async () => undefined, close: () => undefined }
    : null
  return createOutputFolder(watched ?? (await watchOutputFolder(path)), dataDir)
}

function createOutputFolder({ path, confirm, close }: WatchedFolder, dataDir: string): OutputFolder {
  const refused = (reason: Phrase) =>
    new AppError('PATH_NOT_ALLOWED', reason, phrase('use_path_in_output', { path }))
  const locate = async (requested: string): Promise<string> => {
    if (requested.includes('\0')) throw refused(phrase('output_has_nul'))
    const real = await realPlace(resolve(path, requested))
    if (!isInside([path], real)) throw refused(phrase('output_outside_folder'))
    if (isInside([dataDir], real) && !isInside([dataDir], path))
      throw refused(phrase('output_in_data_folder'))
    if (
      placeIn(path, real)
        .split('/')
        .some((part) => part.startsWith('.'))
    )
      throw refused(phrase('output_hidden'))
    return real
  }
  const place = async (requested: string) => placeIn(path, await locate(requested))
  return {
    path,
    resolve: locate,
    place,
    confirm,
    close,
    async placeOfFile(requested, name) {
      const named = await place(requested)
      const isFolder =
        /[/\\]$/.test(requested) || (await stat(join(path, named)).catch(() => null))?.isDirectory()
      if (isFolder) return [named, name].filter(Boolean).join('/')
      return extname(named) === '' ? named + extname(name) : named
    },
  }
}

function placeIn(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

/** Symbolic links in the path are resolved, so that none leads out; the end of the path need not exist yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realPlace(above), basename(path))
  }
}
