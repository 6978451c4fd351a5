import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrainingConfig } from '@medloom/contracts'
import { expect, test } from 'vitest'
import type { TaskOptions } from '../../ports/task-pool.js'
import { TrainerAnswers } from './trainer-answers.js'

test('the worker receives the total size of the tables, for its total time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-answers-'))
  const [train_csv, val_csv, test_csv] = ['train.csv', 'val.csv', 'none.csv'].map((name) =>
    join(folder, name),
  )
  writeFileSync(train_csv ?? '', 'age,label\n')
  writeFileSync(val_csv ?? '', 'a,b\n')
  const sizes: unknown[] = []
  const run = async (_task: string, _params: unknown, { reads }: TaskOptions) => {
    sizes.push(reads?.bytes)
    return {}
  }
  const config = TrainingConfig.parse({
    data: { train_csv, val_csv, test_csv },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
    training: { epochs: 3, batch_size: 4 },
  })
  await new TrainerAnswers({ run } as never, []).request(config, 60, new AbortController().signal)
  expect(sizes).toEqual([14])
  rmSync(folder, { recursive: true })
})
