/**
 * The last Python traceback at the end of a log, as code locations and the type of the exception. Messages and source lines are removed:
 * they may contain values of patients.
 */
export function traceOf(log: string): string | null {
  const lines = log.split('\n')
  const start = lines.findLastIndex((line) => HEADER.test(line))
  if (start < 0) return null
  const shortened: string[] = []
  for (const line of lines.slice(start)) {
    const frame = FRAME.exec(line)
    const exception = EXCEPTION.exec(line)
    if (HEADER.test(line)) shortened.push(HEADER.exec(line)?.[0] ?? '')
    else if (frame) shortened.push(`  File "${frame[1]}", line ${frame[2]}, in ${frame[3]}`)
    else if (exception?.[1]) {
      shortened.push(exception[1])
      break
    }
  }
  return shortened.join('\n')
}

const HEADER =
  /^(Traceback \(most recent call last\):|Fatal Python error: [A-Za-z ]+|(Current thread|Thread) 0x)/
const FRAME = /^\s+File "([^"\n]+)", line (\d+),? in ([\w<>.]+)/
const EXCEPTION = /^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning))(?::|$)/
