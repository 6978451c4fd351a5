import { runCommandLine } from './program.js'

// A reader that closes early (| head) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCommandLine(process.argv)
