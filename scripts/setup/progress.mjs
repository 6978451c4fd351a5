const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** Stream → the running steps. On a terminal they share its last line. */
const running = new Map()
let frame = 0

/** Shows the running steps: an animated line on a terminal, one line per step every ten seconds elsewhere. */
export function startStep(title, stream = process.stderr) {
  const step = { title, began: Date.now(), detail: '' }
  const steps = running.get(stream) ?? new Set()
  running.set(stream, steps.add(step))
  if (!stream.isTTY) stream.write(`${title} …\n`)
  const draw = () => {
    const { detail, began } = step
    if (!stream.isTTY) stream.write(`  ${title}: ${seconds(began)}${detail && `, ${detail}`}\n`)
    // One of the steps draws for all.
    else if (step === steps.values().next().value) drawLine(stream, steps)
  }
  const timer = setInterval(draw, stream.isTTY ? 100 : 10_000)
  const end = (sign, word) => {
    clearInterval(timer)
    steps.delete(step)
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${sign} ${title}: ${word} (${seconds(step.began)})\n`)
  }
  return {
    note: (line) => {
      step.detail = line.trim().slice(0, 100)
    },
    done: () => end('✓', 'done'),
    fail: () => end('✗', 'failed'),
  }
}

/** The detail of a step is shown if it is the only one. */
function drawLine(stream, steps) {
  const all = [...steps].map(({ title, began }) => `${title} ${seconds(began)}`).join(' · ')
  const detail = steps.size === 1 ? [...steps][0].detail : ''
  const line = `${FRAMES[frame++ % FRAMES.length]} ${all}  ${detail}`
  stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`)
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
