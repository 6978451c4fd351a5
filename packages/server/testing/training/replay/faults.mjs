// Faults of a replayed training, requested by words in the name of its job.
import { setTimeout as delay } from 'node:timers/promises'

/** @returns the words of a name; those without a value are present and undefined. */
export const wordsOf = (name) => new Map(name.split(' ').map((word) => word.split('=')))

const VALUED =
  'recording batches delay flood die die-at hang-at half-at fail diverge by pause pause-from'.split(' ')
const ALONE = 'torn deaf immortal linger mute damaged'.split(' ')

/** Returns true if a word with a value, such as die=2, controls the training. */
export const hasValues = (words) => VALUED.some((word) => words.get(word))

/** Returns true if any word of the name controls the training. */
export const isSteered = (words) => hasValues(words) || ALONE.some((word) => words.has(word))

const NUMBERED = ['die-at', 'hang-at', 'half-at']

/** Called before each event; `count` is the number of written events. */
export async function breakBefore(count, words, writer) {
  for (const fault of NUMBERED)
    if (words.get(fault) === String(count + 1)) {
      if (fault === 'hang-at') await delay(600_000)
      // The incomplete line that a crash leaves.
      if (fault === 'half-at') writer.appendEvents('{"type": "epoch_end", "epo')
      process.kill(process.pid, 'SIGKILL')
    }
}

/** Called after each batch of an epoch. */
export function breakInEpoch(epoch, words, writer) {
  if (words.get('die') === String(epoch)) process.kill(process.pid, 'SIGKILL')
  if (!words.has('torn')) return
  writer.appendEvents(`{"type": "epoch_end", "epoch": ${epoch}, "metr`)
  process.kill(process.pid, 'SIGKILL')
}
