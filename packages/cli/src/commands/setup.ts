import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from '@medloom/server/repository'
import type { AddCommand } from '../command.js'

export const addSetup: AddCommand = (parent) =>
  parent
    .add('setup')
    .description('make the Python environment of the trainer, or bring it up to date')
    .option('--ray', 'the environment that has Ray beside the trainer, too')
    .example('medloom setup')
    .action(async ({ ray }: { ray?: boolean }) => {
      // Runs on plain Node, before anything is installed or built; it is not part of the bundle.
      const script = join(REPOSITORY, 'scripts', 'setup.mjs')
      const { ready } = (await import(pathToFileURL(script).href)) as SetupScript
      await ready(ray ? 'ray' : 'start')
    })

interface SetupScript {
  ready(purpose: 'start' | 'ray'): Promise<void>
}
