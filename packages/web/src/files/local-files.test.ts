import { describe, expect, it } from 'vitest'
import { withoutCommonFolder } from './local-files'

const file = new File(['x'], 'x')
const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

describe('files of this computer', () => {
  it('that are all in one folder are its content', () => {
    const { folder, files } = withoutCommonFolder([
      { file, path: 'study/train.csv' },
      { file, path: 'study/images/a.png' },
    ])
    expect([folder, paths(files)]).toEqual(['study', ['train.csv', 'images/a.png']])
  })

  it('beside each other keep their places', () => {
    const files = [
      { file, path: 'train.csv' },
      { file, path: 'images/a.png' },
    ]
    expect(withoutCommonFolder(files)).toEqual({ folder: null, files: files })
  })
})
