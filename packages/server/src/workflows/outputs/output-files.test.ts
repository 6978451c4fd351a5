import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCAL_USER } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import type { Database } from '../../database/database.js'
import { ArtifactStore } from '../cache/artifact-store.js'
import { OutputFiles } from './output-files.js'
import { WrittenFilesRepository } from './written-files.repository.js'

describeEachDatabase((databases) => {
  let folder: string
  let database: Database
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'medloom-outputs-'))
    database = await databases.open()
  })
  afterEach(async () => {
    await database.destroy()
    rmSync(folder, { recursive: true })
  })

  const file = () => join(folder, 'outputs', 'a.csv')
  const text = () => readFileSync(file(), 'utf8')
  /** Writes like a run of this owner. */
  const write = async (owner: string | null, content: string) => {
    const store = new ArtifactStore(join(folder, 'artifacts'))
    const blob = await store.put(content, '.csv')
    await new OutputFiles(new WrittenFilesRepository(database)).put(store.path(blob), blob, file(), owner)
  }
  const isOf = (owner: string) => ({
    code: 'OUTPUT_EXISTS',
    message: expect.stringMatching(
      `a\\.csv already exists and is not replaced, because a run of ${owner} wrote it`,
    ),
  })

  test('a run replaces files of its owner, but not those of others', async () => {
    await write('ann', '1')
    await write('ann', '2')
    await expect(write('bob', '3')).rejects.toMatchObject(isOf('ann'))
    await write('bob', '2')
    await expect(write('bob', '3')).rejects.toMatchObject(isOf('ann'))
    expect(text()).toBe('2')
  })

  test('a file of an older version can be replaced by every user, who then owns it', async () => {
    await write('ann', '1')
    await database.updateTable('written_files').set({ owner: null }).execute()
    await write('bob', '2')
    await expect(write('ann', '3')).rejects.toMatchObject(isOf('bob'))
  })

  test('without tokens every file that was written here can be replaced', async () => {
    for (const owner of [LOCAL_USER, null]) {
      await write('ann', `of ann before ${owner}`)
      await write(owner, `of ${owner}`)
      expect(text()).toBe(`of ${owner}`)
      rmSync(file())
    }
  })

  test('if a file was moved away, an identical new one belongs to its writer', async () => {
    await write('ann', '1')
    rmSync(file())
    await write('bob', '1')
    await expect(write('ann', '2')).rejects.toMatchObject(isOf('bob'))
    await write('bob', '2')
    expect(text()).toBe('2')
  })
})
