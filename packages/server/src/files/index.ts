import { repeatEvery } from '../concurrency/repeat-every.js'
import type { ServiceContext } from '../context.js'
import { filesRoutes } from './files.routes.js'
import { Folders } from './folders.js'
import { Uploads } from './uploads.js'

const SWEEP_MILLISECONDS = 3600 * 1000

export function createFiles({ folder, roots, log }: Pick<ServiceContext, 'folder' | 'roots' | 'log'>) {
  const uploads = new Uploads(folder)
  const sweep = () =>
    void uploads.sweep().catch((error) => log.warn({ err: error }, 'abandoned uploads could not be removed'))
  const close = repeatEvery(SWEEP_MILLISECONDS, sweep)
  sweep()
  return { routes: filesRoutes(new Folders(roots), uploads), uploads, close }
}
