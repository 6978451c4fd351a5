import { execFileSync } from 'node:child_process'
import { SetUpError } from './errors.mjs'

const CANDIDATES = ['python3.13', 'python3.12', 'python3.11', 'python3', 'python']
const PROBE = `import json, sys, importlib.util as u
print(json.dumps([list(sys.version_info[:3]), sys.maxsize > 2**32, bool(u.find_spec("venv") and u.find_spec("ensurepip"))]))`

/** Interpreter for the new environment: MEDLOOM_PYTHON, or the first usable one on the PATH. */
export function findPython(env = process.env) {
  const candidates = env.MEDLOOM_PYTHON ? [env.MEDLOOM_PYTHON] : CANDIDATES
  const tried = []
  for (const command of candidates) {
    const { version, problem } = probePython(command, env)
    if (!problem) return { command, version }
    tried.push({ command, problem })
  }
  const withoutVenv = tried.find(({ problem }) => problem.includes('venv'))
  throw new SetUpError(
    `No usable Python was found.\n${tried.map(({ command, problem }) => `  ${command}: ${problem}`).join('\n')}`,
    withoutVenv
      ? `Install the venv module (Debian and Ubuntu: apt install ${debianName(withoutVenv.command)}-venv) and run the command again.`
      : 'Install Python 3.11 or newer, or set MEDLOOM_PYTHON to one, and run the command again.',
  )
}

/** Version of an interpreter, or the reason why it cannot be used. */
export function probePython(command, env = process.env) {
  let answer
  try {
    answer = execFileSync(command, ['-c', PROBE], {
      env,
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    return { problem: error.code === 'ENOENT' ? 'not installed' : 'does not start' }
  }
  try {
    const [version, is64, hasVenv] = JSON.parse(answer.toString())
    const name = version.join('.')
    if (version[0] < 3 || (version[0] === 3 && version[1] < 11))
      return { problem: `is ${name}, 3.11 or newer is needed` }
    if (!is64) return { problem: `is ${name} for 32 bit, 64 bit is needed` }
    if (!hasVenv) return { problem: `is ${name} without the venv module` }
    return { version: name }
  } catch {
    return { problem: 'is not a Python 3' }
  }
}

function debianName(command) {
  return /^python3(\.\d+)?$/.test(command) ? command : 'python3'
}
