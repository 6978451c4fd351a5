import { expect, it } from 'vitest'
import type { LocalFile } from './local-files'
import { completelyUploaded, nextName } from './uploaded-files'

const chosen = (path: string, size: number) => ({ path, file: { size } }) as LocalFile

it('only what is there with all its bytes is not sent again', () => {
  const files = [chosen('a.csv', 3), chosen('images/1.png', 5), chosen('images/2.png', 7)]
  const sizes = new Map([
    ['a.csv', 3],
    ['images/1.png', 4],
  ])
  expect(completelyUploaded(files, { folder: '/up/x', sizes })).toEqual([files[0]])
})

it('another name of a folder counts up', () => {
  expect(['data', 'data-2', 'set-9', 'a-b'].map(nextName)).toEqual(['data-2', 'data-3', 'set-10', 'a-b-2'])
})
