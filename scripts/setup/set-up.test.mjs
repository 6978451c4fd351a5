/** @module-tag service */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { explainFailure } from './errors.mjs'
import { findPython } from './find-python.mjs'
import { fingerprint } from './fingerprint.mjs'
import { withLock } from './lock.mjs'
import { startStep } from './progress.mjs'

const scripts = resolve(import.meta.dirname, '..')
const temporary = () => mkdtempSync(join(tmpdir(), 'medloom-setup-'))

describe('set-up', () => {
  it('of a ready folder starts nothing: each completed step reports this', () => {
    const setup = () =>
      spawnSync(process.execPath, [join(scripts, 'setup.mjs'), '--for', 'start'], { encoding: 'utf8' })
    setup()
    expect(setup()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  it('refuses a purpose that it does not know', async () => {
    const run = promisify(execFile)(process.execPath, [join(scripts, 'setup.mjs'), '--for', 'fun'])
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--for start') })
  })

  it('needs nothing but Node: no script imports a package before it has run', () => {
    for (const file of [
      'setup.mjs',
      'setup/set-up.mjs',
      'setup/tool.mjs',
      'setup/lock.mjs',
      'start.mjs',
      'test.mjs',
      'demo.mjs',
    ])
      expect(readFileSync(join(scripts, file), 'utf8'), file).not.toMatch(/^import .* from '(?!node:|\.)/m)
  })
})

describe('progress', () => {
  const shown = (isTTY) => {
    const stream = { isTTY, columns: 60, text: '' }
    stream.write = (text) => {
      stream.text += text
    }
    return stream
  }

  it('of steps side by side shares the one moving line of a terminal, and each end is a line of its own', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    try {
      const stream = shown(true)
      const [npm, pip] = ['npm packages', 'Python packages'].map((title) => startStep(title, stream))
      npm.note('reify')
      vi.advanceTimersByTime(100)
      expect(stream.text).toBe('\r\x1b[K⠋ npm packages 0.1 s · Python packages 0.1 s  ')
      npm.done()
      pip.note('Collecting torch')
      vi.advanceTimersByTime(100)
      pip.fail()
      expect(stream.text.split('\r\x1b[K').slice(2)).toEqual([
        '✓ npm packages: done (0.1 s)\n',
        '⠙ Python packages 0.2 s  Collecting torch',
        '✗ Python packages: failed (0.2 s)\n',
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('without a terminal is lines that name their step', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    try {
      const stream = shown(false)
      const [npm, pip] = ['npm packages', 'Python packages'].map((title) => startStep(title, stream))
      pip.note('Collecting torch')
      vi.advanceTimersByTime(10_000)
      npm.done()
      pip.done()
      expect(stream.text.split('\n')).toEqual([
        'npm packages …',
        'Python packages …',
        '  npm packages: 10.0 s',
        '  Python packages: 10.0 s, Collecting torch',
        '✓ npm packages: done (10.0 s)',
        '✓ Python packages: done (10.0 s)',
        '',
      ])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('finding Python', () => {
  const program = (text) => {
    const file = join(temporary(), 'python3')
    writeFileSync(file, `#!/bin/sh\n${text}\n`)
    chmodSync(file, 0o755)
    return file
  }

  it.each([
    ['echo "[[3, 9, 2], true, true]"', 'is 3.9.2, 3.11 or newer is needed', 'Install Python 3.11'],
    ['echo "[[3, 12, 1], false, true]"', '32 bit', 'Install Python 3.11'],
    ['echo "[[3, 12, 1], true, false]"', 'without the venv module', 'python3-venv'],
    ['exit 127', 'does not start', 'MEDLOOM_PYTHON'],
  ])('%s is refused with a remedy', (text, problem, remedy) => {
    const env = { ...process.env, MEDLOOM_PYTHON: program(text) }
    expect(() => findPython(env)).toThrow(problem)
    expect(() => findPython(env)).toThrow(remedy === 'python3-venv' ? '-venv' : remedy)
  })

  it('takes the first usable one of the PATH and lists what it tried otherwise', () => {
    const folder = temporary()
    expect(() => findPython({ PATH: folder })).toThrow(
      /python3\.13: not installed[\s\S]*python: not installed/,
    )
    writeFileSync(join(folder, 'python3.11'), '#!/bin/sh\necho "[[3, 11, 9], true, true]"\n')
    chmodSync(join(folder, 'python3.11'), 0o755)
    expect(findPython({ PATH: `${folder}:/usr/bin:/bin` })).toEqual({
      command: 'python3.11',
      version: '3.11.9',
    })
  })
})

describe('a failed step states the remedy', () => {
  it.each([
    ['npm error ENOSPC: no space left on device', 'The disk is full'],
    [
      'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device',
      'Free some space',
    ],
    ['npm error code EAI_AGAIN', 'Check the network'],
    [
      'Failed to establish a new connection\nERROR: No matching distribution found for torch==2.13.0',
      'Check the network',
    ],
    ['ERROR: No matching distribution found for torch==2.13.0', 'MEDLOOM_PYTHON'],
    ['SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED', 'PIP_CERT'],
    ['something unheard of', 'something unheard of'],
  ])('%j', (output, remedy) => {
    expect(explainFailure('npm packages', output).message).toContain(remedy)
  })
})

describe('the fingerprint of a step', () => {
  it('changes with contents, names and facts, and only with these', () => {
    const root = temporary()
    mkdirSync(join(root, 'src/deep'), { recursive: true })
    writeFileSync(join(root, 'src/deep/a'), '1')
    const first = fingerprint(root, ['src', 'missing'], ['3.11'])
    writeFileSync(join(root, 'src/deep/a'), '1')
    expect(fingerprint(root, ['src', 'missing'], ['3.11'])).toBe(first)
    expect(fingerprint(root, ['src', 'missing'], ['3.12'])).not.toBe(first)
    writeFileSync(join(root, 'missing'), '')
    expect(fingerprint(root, ['src', 'missing'], ['3.11'])).not.toBe(first)
    writeFileSync(join(root, 'src/deep/a'), '2')
    expect(fingerprint(root, ['src'], ['3.11'])).not.toBe(fingerprint(root, ['src', 'missing'], ['3.11']))
  })
})

describe('the lock', () => {
  it('lets one at a time work', async () => {
    const file = join(temporary(), 'lock')
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((done) => setTimeout(done, 50))
      inside--
    }
    await Promise.all([1, 2, 3].map(() => withLock(file, work)))
    expect(most).toBe(1)
  })

  it('is taken over from a process that was killed', async () => {
    const file = join(temporary(), 'lock')
    const program = `import { withLock } from ${JSON.stringify(join(scripts, 'setup/lock.mjs'))}
      await withLock(${JSON.stringify(file)}, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)) })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program])
    await new Promise((held) => child.stdout.once('data', held))
    let waited = false
    const taken = withLock(file, async () => 'mine', {
      onWait: () => {
        waited = true
        child.kill('SIGKILL')
      },
    })
    expect(await taken).toBe('mine')
    expect(waited).toBe(true)
  })
})
