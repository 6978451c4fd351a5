import type { PredictionRecord } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { recordLine } from './index.js'

const record: PredictionRecord = {
  ...{ prediction_id: '3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f', created_at: '2026-01-01T00:00:00.000Z' },
  ...{ owner: '=1+1', model_id: '@model', alias: null, checkpoint_digest: 'c', software_digest: null },
  ...{ kind: 'rows', num_cases: 1, num_failed: 0, input_digests: ['d'], outputs: [], warnings: [] },
}

it('no text of an exported record is a formula; lists are JSON', () =>
  expect(recordLine(record)).toBe(
    `3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f,2026-01-01T00:00:00.000Z,'=1+1,'@model,,c,,rows,1,0,"[""d""]",[],[]`,
  ))
