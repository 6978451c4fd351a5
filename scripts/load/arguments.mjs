// The command line of npm run test:load: its own option, and those of npm test.

/** Whole rounds of tests and the arguments for scripts/test.mjs; `problem`: what is wrong, in one sentence. */
export function parseLoadArguments(args) {
  const index = args.indexOf('--rounds')
  if (index < 0) return { rounds: 1, testArguments: args }
  const rounds = args[index + 1] ?? ''
  const testArguments = [...args.slice(0, index), ...args.slice(index + 2)]
  if (!/^[1-9]\d{0,3}$/.test(rounds))
    return { rounds: 0, testArguments, problem: `--rounds: "${rounds}" is not a whole number from 1 on.` }
  return { rounds: Number(rounds), testArguments }
}
