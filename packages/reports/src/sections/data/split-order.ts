import { HELD_OUT } from '@medloom/contracts'

const USE: readonly string[] = ['train', 'val', HELD_OUT, 'test']

/** Parts of a dataset in the order of their use: training, validation, held-out fold, test, then all others. */
export function sortBySplit<Part>(parts: Readonly<Record<string, Part>>): [string, Part][] {
  const place = (name: string) => (USE.includes(name) ? USE.indexOf(name) : USE.length)
  return Object.entries(parts).sort(([a], [b]) => place(a) - place(b))
}
