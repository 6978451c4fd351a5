import { runCommandLine } from './program.js'

// It is not an error if the reader closes early (| head).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCommandLine(process.argv)
