// Progress of a run: the running parts, the number of finished tests, and the elapsed time.
import { stripVTControlCharacters } from 'node:util'

const LINE_EVERY = 30_000
const REWRITE_EVERY = 1_000

/** One line that is rewritten in place on a terminal; elsewhere at most one line in 30 seconds. */
export class Progress {
  #running = new Map()
  #began = Date.now()
  #out
  #timer

  constructor(out = process.stdout) {
    this.#out = out
    this.#timer = setInterval(() => this.#show(), out.isTTY ? REWRITE_EVERY : LINE_EVERY)
    this.#timer.unref()
  }

  started(name, count) {
    this.#running.set(name, count)
  }

  ended(name) {
    this.#running.delete(name)
  }

  /** Prints a permanent line. */
  print(text) {
    if (this.#out.isTTY) this.#out.write('\r\x1b[2K')
    this.#out.write(`${text}\n`)
  }

  end() {
    clearInterval(this.#timer)
    if (this.#out.isTTY) this.#out.write('\r\x1b[2K')
  }

  #show() {
    if (this.#running.size === 0) return
    const line = progressLine(Date.now() - this.#began, this.#running)
    if (this.#out.isTTY) this.#out.write(`\r\x1b[2K${line.slice(0, (this.#out.columns || 80) - 1)}`)
    else this.#out.write(`${line}\n`)
  }
}

/** "12:05  Trainer 310 tests, Types (mypy)" */
export function progressLine(milliseconds, running) {
  const parts = [...running].map(([name, count]) => {
    const tests = count()
    return tests > 0 ? `${name} ${tests} ${tests === 1 ? 'test' : 'tests'}` : name
  })
  return `${clock(milliseconds / 1000)}  ${parts.join(', ')}`
}

/** Minutes and seconds. */
export function clock(seconds) {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

// "✓ |packages| a.test.ts (3 tests | 1 skipped) 20ms": a finished file in the output of vitest.
const VITEST_FILE = /^ *[✓❯×↓] .*\((\d+) tests?\b/
// "..s.F.. [ 12%]": finished tests in the output of pytest.
const PYTEST_LINE = /^([.sxXFE]+)(?: *\[ *\d+%\])?$/

/** Counts the finished tests in the streamed output of vitest or pytest. */
export function testCounter() {
  let done = 0
  let rest = ''
  return {
    read(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) done += testsIn(stripVTControlCharacters(line))
    },
    count: () => done + testsIn(stripVTControlCharacters(rest)),
  }
}

function testsIn(line) {
  const file = VITEST_FILE.exec(line)
  if (file) return Number(file[1])
  return PYTEST_LINE.exec(line.trimEnd())?.[1].length ?? 0
}
