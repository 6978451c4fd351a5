import type { PlacedFile } from '@medloom/contracts'
import type { OutputFolder } from '../../security/output-folder.js'

type Place = Pick<PlacedFile, 'path' | 'below'>

/** Where the one file of a node goes: where its config says, else as `name` among the artifacts of the project. */
export async function placeOfFile(
  outputs: OutputFolder,
  requested: string | null,
  name: string,
): Promise<Place> {
  return requested === null
    ? { path: `artifacts/${name}` }
    : { path: await outputs.placeOfFile(requested, name), below: 'outputs' }
}

/** Where the files of a node go that makes several, by name: into the folder that its config says, else into `folder` among the artifacts. */
export async function placesOfFiles(
  outputs: OutputFolder,
  requested: string | null,
  folder: string,
): Promise<(name: string) => Place> {
  if (requested === null) return (name) => ({ path: `artifacts/${folder}/${name}` })
  const place = await outputs.place(requested)
  return (name) => ({ path: [place, name].filter(Boolean).join('/'), below: 'outputs' })
}
