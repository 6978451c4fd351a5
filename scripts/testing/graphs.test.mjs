import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { pythonIn, trainerEnvironment } from '../setup/environment.mjs'
import { affectedBy } from './affected.mjs'
import { testsFor } from './changed.mjs'
import { pythonGraph } from './python-graph.mjs'
import { scriptGraph } from './script-graph.mjs'

it('a change affects every file that imports it through others, also in a circle', () => {
  const graph = { a: ['b'], b: ['c'], c: ['a'], d: ['e'] }
  expect([...affectedBy(graph, ['c'])].sort()).toEqual(['a', 'b', 'c'])
  expect([...affectedBy(graph, ['e'])].sort()).toEqual(['d', 'e'])
})

const PYTHON_FILES = {
  'trainer/src/medloom_trainer/__init__.py': '',
  'trainer/src/medloom_trainer/data/__init__.py': 'from .table import read\n',
  'trainer/src/medloom_trainer/data/table.py': 'import json\n',
  'trainer/src/medloom_trainer/data/images/png.py': 'def run():\n    from ..table import read\n',
  'trainer/src/medloom_trainer/nodes/fit.py': 'from medloom_trainer import errors\n',
  'trainer/src/medloom_trainer/errors.py': '',
  'trainer/tests/conftest.py': 'import medloom_trainer.errors\n',
  'trainer/tests/data/test_table.py': 'from medloom_trainer.data import (\n    table,\n)\n',
  'trainer/tests/data/test_png.py': 'import medloom_trainer.data.images.png\n',
  'trainer/tests/nodes/test_fit.py': '',
}

function graphOfPython() {
  const root = mkdtempSync(join(tmpdir(), 'medloom-graph-'))
  for (const [file, text] of Object.entries(PYTHON_FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const python = pythonIn(trainerEnvironment(resolve(import.meta.dirname, '../..')))
  const program = resolve(import.meta.dirname, 'python_imports.py')
  const imports = JSON.parse(execFileSync(python, [program, root], { encoding: 'utf8' }))
  return pythonGraph(imports, ['trainer/src/medloom_trainer/data/columns.json'])
}

it('Python: absolute, relative and late imports, packages, conftest.py, files next to a module', () => {
  const graph = graphOfPython()
  expect(graph['trainer/src/medloom_trainer/data/images/png.py']).toContain(
    'trainer/src/medloom_trainer/data/table.py',
  )
  expect(graph['trainer/tests/data/test_table.py'].sort()).toEqual([
    'trainer/src/medloom_trainer/__init__.py',
    'trainer/src/medloom_trainer/data/__init__.py',
    'trainer/src/medloom_trainer/data/table.py',
    'trainer/tests/conftest.py',
  ])
  const affected = (file) => testsFor([file], graph).tests
  expect(affected('trainer/src/medloom_trainer/data/images/png.py')).toEqual([
    'trainer/tests/data/test_png.py',
  ])
  expect(affected('trainer/src/medloom_trainer/data/columns.json')).toHaveLength(2)
  expect(affected('trainer/src/medloom_trainer/errors.py')).toHaveLength(3)
  // Imported by a name that is only known at run time.
  expect(affected('trainer/src/medloom_trainer/nodes/fit.py')).toEqual(['trainer/tests/nodes/test_fit.py'])
})

it('scripts: relative paths, packages by their sources, no types', () => {
  const files = {
    'packages/client/package.json': JSON.stringify({
      name: '@medloom/client',
      exports: {
        '.': { 'medloom-source': './src/index.ts' },
        './node': { 'medloom-source': './src/node.ts' },
      },
    }),
    'packages/client/src/index.ts': "export * from './call.js'",
    'packages/client/src/node.ts': '',
    'packages/client/src/call.tsx': '',
    'packages/cli/src/a.test.ts':
      "import { x } from '@medloom/client'\nimport type { Y } from '@medloom/client/node'\nnew URL('./worker.mjs', import.meta.url)",
    'packages/cli/src/worker.mjs': '',
  }
  const graph = scriptGraph('', Object.keys(files), (file) => files[file])
  expect(graph['packages/cli/src/a.test.ts']).toEqual([
    'packages/cli/src/worker.mjs',
    'packages/client/src/index.ts',
  ])
  const affected = (file) => testsFor([file], graph)
  expect(affected('packages/client/src/call.tsx').tests).toEqual(['packages/cli/src/a.test.ts'])
  expect(affected('packages/client/src/node.ts').unreached).toEqual(['packages/client/src/node.ts'])
  expect(affected('docs/index.md').tests).toContain('scripts/documents/commands.test.mjs')
})
