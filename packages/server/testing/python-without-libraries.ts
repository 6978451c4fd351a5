import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * An interpreter that runs the worker and the prewarmed trainer of the trainer itself, but does not import PyTorch and the other libraries
 * that they load in advance, which takes seconds of a core. For tests in which no model is trained.
 */
export function pythonWithoutLibraries(folder: string, python: string): string {
  const file = join(folder, 'python-without-libraries')
  const lines = [
    `#!${python}`,
    'import runpy, sys, types',
    // Called like Python: -m medloom_trainer prewarmed
    "sys.modules['medloom_trainer.model.timm_import'] = types.SimpleNamespace(import_timm=None)",
    'from medloom_trainer.worker import prewarmed',
    'prewarmed._import_libraries = lambda: None',
    'prewarmed._has_room = lambda: False',
    'sys.argv[:] = sys.argv[2:]',
    "runpy.run_module('medloom_trainer', run_name='__main__')",
  ]
  writeFileSync(file, lines.join('\n'))
  chmodSync(file, 0o755)
  return file
}
