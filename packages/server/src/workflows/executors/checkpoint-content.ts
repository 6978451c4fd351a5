import { relative, sep } from 'node:path'
import type { Manifest } from '../../storage/checkpoints.js'
import type { ExecutionContext } from './executor.js'

/** The members of a trained model that identify its checkpoint. */
export function checkpointContent(
  path: string,
  { files }: Manifest,
  { folder }: Pick<ExecutionContext['service'], 'folder'>,
) {
  return {
    checkpoint: relative(folder.path, path).split(sep).join('/'),
    checkpoint_digest: files.model?.sha256 ?? '',
  }
}
