import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { trainCommand } from './command'

/** Runs the command in a shell; returns the arguments and the standard input of the program. */
function inShell(command: string): string {
  const script = `medloom() { printf '%s|' "$@"; cat; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' })
}

describe('a training as a command', () => {
  it('gives the shell the same text, whatever is in it', () => {
    const yaml = "data:\n  train_csv: $HOME/`x` 'y' \\n\nEND\n"
    expect(inShell(trainCommand(yaml, "Anna's first"))).toBe(
      `train|--config|-|--name|Anna's first|--keep-paths|${yaml}`,
    )
  })

  it('names nothing when there is no name', () => {
    expect(trainCommand('a: 1', ' ')).toBe("medloom train --config - --keep-paths <<'END'\na: 1\nEND\n")
  })
})
