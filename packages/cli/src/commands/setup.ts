import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from '@medloom/server/repository'
import type { AddCommand } from '../command.js'

export const addSetup: AddCommand = (parent) =>
  parent
    .add('setup')
    .description('create or update the Python environment of the trainer')
    .option('--ray', 'also create the environment that includes Ray')
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
