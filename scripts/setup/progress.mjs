const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** Shows one step at a time: a moving line on a terminal, a line every ten seconds elsewhere. */
export function startStep(title, stream = process.stderr) {
  const began = Date.now()
  let detail = ''
  let frame = 0
  if (!stream.isTTY) stream.write(`${title} …\n`)
  const draw = () => {
    if (!stream.isTTY) return stream.write(`  ${title}: ${seconds(began)}${detail && `, ${detail}`}\n`)
    const line = `${FRAMES[frame++ % FRAMES.length]} ${title} ${seconds(began)}  ${detail}`
    return stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`)
  }
  const timer = setInterval(draw, stream.isTTY ? 100 : 10_000)
  const end = (sign, word) => {
    clearInterval(timer)
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${sign} ${title}: ${word} (${seconds(began)})\n`)
  }
  return {
    note: (line) => {
      detail = line.trim().slice(0, 100)
    },
    done: () => end('✓', 'done'),
    fail: () => end('✗', 'failed'),
  }
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
