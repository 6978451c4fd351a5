import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ContentDigest } from './content-digest.js'
import { Sha256 } from './sha256.js'

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bytesOf = (length: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) % 256)

test('digests of every length around a block are those of Node', () => {
  for (const length of [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000]) {
    const digest = new Sha256()
    digest.update(bytesOf(length))
    expect(digest.end(), `${length} bytes`).toBe(expected(bytesOf(length)))
  }
})

test('the pieces of the content do not change its digest', () => {
  const content = bytesOf(5000)
  for (const piece of [1, 7, 63, 64, 65, 200]) {
    const digest = new Sha256()
    for (let start = 0; start < content.length; start += piece)
      digest.update(content.subarray(start, start + piece))
    expect(digest.end(), `pieces of ${piece} bytes`).toBe(expected(content))
  }
})

test('bytes that are read again count once, and bytes that were stored earlier are read', async () => {
  const content = bytesOf(1000)
  const read: [number, number][] = []
  const digest = new ContentDigest(new Sha256(), async (start, end) => {
    read.push([start, end])
    return content.subarray(start, end)
  })
  await digest.add(100, content.subarray(100, 300))
  // The connection broke: the service has stored a part of the piece.
  await digest.add(250, content.subarray(250, 450))
  await digest.add(250, content.subarray(250, 260))
  expect(await digest.end(1000)).toBe(expected(content))
  expect(read).toEqual([
    [0, 100],
    [450, 1000],
  ])
})
