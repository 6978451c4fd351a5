import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { makeDataset } from '../../tests/testing/dataset.js'
import { Caller } from '../../tests/testing/http.js'

const DRAWN = 200
const PIXELS = 256

/** A few cases from the generator of the project; the large tables repeat them. */
export interface Drawn {
  readonly folder: string
  readonly head: string
  readonly rows: readonly string[]
}

export function drawCases(root: string): Drawn {
  const folder = makeDataset(join(root, 'drawn'), { cases: DRAWN, size: PIXELS })
  const [head = '', ...rows] = readFileSync(join(folder, 'train.csv'), 'utf8').trimEnd().split('\n')
  return { folder, head, rows }
}

/** @returns a table of this many cases, which share images */
export function longTable({ folder, head, rows }: Drawn, count: number): string {
  const path = join(folder, `${count}.csv`)
  const many = Array.from({ length: count }, (_, index) => rows[index % rows.length])
  writeFileSync(path, [head, ...many, ''].join('\n'))
  return path
}

/** @returns a table of this many cases, each with its own image file */
export function manyImages({ folder, head, rows }: Drawn, name: string, count: number): string {
  mkdirSync(join(folder, name))
  const images = readdirSync(join(folder, 'images'))
  const many = Array.from({ length: count }, (_, index) => {
    const image = images[index % images.length] ?? ''
    const path = `${name}/${index}${extname(image)}`
    // The service identifies an image by its path, so that it decodes each of them.
    linkSync(join(folder, 'images', image), join(folder, path))
    return [path, ...(rows[index % rows.length] ?? '').split(',').slice(1)].join()
  })
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, [head, ...many, ''].join('\n'))
  return path
}

/** @returns its id */
export async function register(url: string, path: string): Promise<string> {
  const { status, body } = await new Caller(url).post<{ dataset_id: string }>('/api/datasets', { path })
  if (status !== 200) throw new Error(`the dataset was refused: ${JSON.stringify(body)}`)
  return body.dataset_id
}
