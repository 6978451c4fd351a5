// The graph of imports of the trainer and its tests: { file: [files that it imports] }.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Reads the imports with Python's own parser. */
export async function readPythonImports(root, python) {
  const { stdout } = await promisify(execFile)(
    python,
    [join(root, 'scripts/testing/python_imports.py'), root],
    {
      maxBuffer: 1 << 26,
    },
  )
  return JSON.parse(stdout)
}

/**
 * Graph from the output of python_imports.py. A test depends on every conftest.py above it. A file that is not Python, such as a schema, is a
 * dependency of the modules in the same folder, because one of them reads it.
 */
export function pythonGraph(imports, otherFiles = []) {
  const files = Object.keys(imports)
  const byModule = new Map(files.map((file) => [imports[file].module, file]))
  const besides = (file) => otherFiles.filter((other) => folderOf(other) === folderOf(file))
  const conftests = files.filter((file) => file.endsWith('/conftest.py'))
  const above = (file) =>
    conftests.filter((conftest) => file.startsWith(`${folderOf(conftest)}/`) && conftest !== file)
  return Object.fromEntries(
    files.map((file) => {
      const imported = imports[file].imports.flatMap((name) => modulesOf(name, byModule))
      return [file, [...new Set([...imported, ...above(file), ...besides(file)])]]
    }),
  )
}

/** "a.b.c" also runs the packages a and a.b. */
function modulesOf(name, byModule) {
  const parts = name.split('.')
  return parts.flatMap((_, index) => byModule.get(parts.slice(0, index + 1).join('.')) ?? [])
}

/**
 * Tests of a module that no test imports: those in the folder of tests with the same name. Some modules are imported by a name that is
 * only known at run time, such as those of nodes.
 */
export function testsOfSameFolder(file, tests) {
  const folder = /^trainer\/src\/medloom_trainer\/([^/]+)\//.exec(file)?.[1]
  return folder ? tests.filter((test) => test.startsWith(`trainer/tests/${folder}/`)) : []
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/'))
