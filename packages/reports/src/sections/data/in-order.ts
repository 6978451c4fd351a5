const USE = ['train', 'val', 'test']

/** The parts of a data set in the order of their use: training, validation, test, then whatever else there is. */
export function inOrder<Part>(parts: Readonly<Record<string, Part>>): [string, Part][] {
  const place = (name: string) => (USE.includes(name) ? USE.indexOf(name) : USE.length)
  return Object.entries(parts).sort(([a], [b]) => place(a) - place(b))
}
