import type { PlacedFile } from '@medloom/contracts'
import type { OutputFolder } from '../../security/output-folder.js'

type Place = Pick<PlacedFile, 'path' | 'below'>

/** Path of the single output file of a node: from its config, otherwise `name` among the artifacts of the project. */
export async function placeOfFile(
  outputs: OutputFolder,
  requested: string | null,
  name: string,
): Promise<Place> {
  return requested === null
    ? { path: `artifacts/${name}` }
    : { path: await outputs.placeOfFile(requested, name), below: 'outputs' }
}

/**
 * Paths of the output files of a node that creates several, by name: in the folder of its config, otherwise in `folder` among the
 * artifacts.
 */
export async function placesOfFiles(
  outputs: OutputFolder,
  requested: string | null,
  folder: string,
): Promise<(name: string) => Place> {
  if (requested === null) return (name) => ({ path: `artifacts/${folder}/${name}` })
  const place = await outputs.place(requested)
  return (name) => ({ path: [place, name].filter(Boolean).join('/'), below: 'outputs' })
}
