import { HELD_OUT } from '@medloom/contracts'

const USE: readonly string[] = ['train', 'val', HELD_OUT, 'test']

/** The parts of a data set in the order of their use: training, validation, held-out fold, test, then whatever else there is. */
export function inOrder<Part>(parts: Readonly<Record<string, Part>>): [string, Part][] {
  const place = (name: string) => (USE.includes(name) ? USE.indexOf(name) : USE.length)
  return Object.entries(parts).sort(([a], [b]) => place(a) - place(b))
}
