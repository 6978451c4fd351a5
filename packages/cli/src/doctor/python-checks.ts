import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SETUP } from '@medloom/server/repository'
import { type Check, fail, ok, warn } from './check.js'

const REMEDY = `Run "${SETUP}".`

const PROBE = `
import importlib.metadata as metadata, json, sys, time
facts = {"version": ".".join(map(str, sys.version_info[:3])), "packages": {}, "errors": {}}
for name in json.loads(sys.argv[1]):
    try: facts["packages"][name] = metadata.version(name)
    except metadata.PackageNotFoundError: facts["packages"][name] = None
began = time.monotonic()
for module in ("torch", "medloom_trainer.model.network", "medloom_trainer.data.prepare"):
    try: __import__(module)
    except BaseException as error: facts["errors"][module] = f"{type(error).__name__}: {error}"
facts["import_seconds"] = time.monotonic() - began
try:
    import torch
    facts["cuda_build"] = torch.version.cuda
    facts["gpus"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    facts["mps"] = torch.backends.mps.is_available()
except BaseException: pass
print(json.dumps(facts))
`

interface Facts {
  version: string
  packages: Record<string, string | null>
  errors: Record<string, string>
  import_seconds: number
  cuda_build?: string | null
  gpus?: string[]
  mps?: boolean
}

/** The trainer's environment: interpreter, versions against the requirements, imports, accelerator. */
export async function checkPython(python: string, repository: string): Promise<Check[]> {
  const wanted = requirements(join(repository, 'trainer', 'requirements.txt'))
  const facts = await probe(python, Object.keys(wanted))
  if (typeof facts === 'string') return [fail('python', 'Python', `${python}: ${facts}`, REMEDY)]
  const [major = 0, minor = 0] = facts.version.split('.').map(Number)
  if (major < 3 || (major === 3 && minor < 11))
    return [
      fail(
        'python',
        'Python',
        `${python} is ${facts.version}`,
        'Set MEDLOOM_PYTHON to Python 3.11 or newer.',
      ),
    ]
  return [
    ok('python', 'Python', `${facts.version}  ${python}`),
    checkPackages(wanted, facts),
    ...checkImports(facts),
    ...(facts.errors.torch ? [] : [await checkAccelerator(facts)]),
  ]
}

async function probe(python: string, packages: string[]): Promise<Facts | string> {
  try {
    const { stdout } = await promisify(execFile)(python, ['-c', PROBE, JSON.stringify(packages)], {
      timeout: 120_000,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Facts
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string }
    if (code === 'ENOENT') return 'no such interpreter'
    return `does not work (${stderr?.trim().split('\n').at(-1) || code || 'no response'})`
  }
}

/** Package name → pinned version of a requirements file; empty when the file does not exist. */
function requirements(file: string): Record<string, string> {
  if (!existsSync(file)) return {}
  const pins = readFileSync(file, 'utf8').matchAll(/^([\w.-]+)==([^\s;#]+)/gm)
  return Object.fromEntries([...pins].map(([, name, version]) => [name, version]))
}

function checkPackages(wanted: Record<string, string>, facts: Facts): Check {
  const names = Object.keys(wanted)
  // A local suffix identifies the build (2.13.0+cpu); the version is the same.
  const present = (name: string) => facts.packages[name]?.replace(/\+.*/, '')
  const missing = names.filter((name) => !present(name))
  const other = names.filter((name) => present(name) && present(name) !== wanted[name])
  if (missing.length > 0) return fail('packages', 'Python packages', `missing: ${missing.join(', ')}`, REMEDY)
  if (other.length > 0) {
    const list = other.map((name) => `${name} ${present(name)} (tested: ${wanted[name]})`).join(', ')
    return warn('packages', 'Python packages', list, `${REMEDY} Other versions may work but are not tested.`)
  }
  return ok('packages', 'Python packages', `${names.length} as required`)
}

function checkImports({ errors, import_seconds, packages }: Facts): Check[] {
  const broken = Object.entries(errors)
  if (broken.length === 0)
    return [
      ok(
        'trainer',
        'Trainer',
        `imports in ${import_seconds.toFixed(1)} s with PyTorch ${packages.torch ?? ''}`,
      ),
    ]
  return broken.map(([module, error]) =>
    fail(
      'trainer',
      'Trainer',
      `import ${module}: ${error}`,
      `${REMEDY} If the error persists, delete the environment first.`,
    ),
  )
}

async function checkAccelerator({ gpus = [], cuda_build, mps }: Facts): Promise<Check> {
  const title = 'Accelerator'
  if (gpus.length > 0) return ok('gpu', title, gpus.join(', '))
  if (mps) return ok('gpu', title, 'Apple GPU (Metal)')
  const cards = await promisify(execFile)('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], {
    timeout: 10_000,
  }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  if (!cards) return ok('gpu', title, 'none; trainings use the CPU')
  return cuda_build
    ? warn(
        'gpu',
        title,
        `PyTorch does not see ${cards}`,
        `Update the driver: PyTorch was built for CUDA ${cuda_build}.`,
      )
    : warn(
        'gpu',
        title,
        `${cards} is installed, but PyTorch is a CPU build`,
        'Install the CUDA build of the same version of torch into its environment.',
      )
}
