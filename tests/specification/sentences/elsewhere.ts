import type { PromiseId } from './index.js'

/** Tests outside this folder that also verify a promise: file, and the exact title or name. */
export const SHOWN_ELSEWHERE: Partial<
  Record<PromiseId, readonly (readonly [file: string, title: string])[]>
> = {
  '2.5/gpu.devices': [
    [
      'packages/server/src/system/system.test.ts',
      'nvidia-smi lists one device per line; names may contain commas, a value may be missing',
    ],
  ],
  '2.11/image': [['trainer/tests/model/test_backbones.py', 'test_every_backbone_gives_tokens_and_a_vector']],
  '2.12/SelectAggregator': [
    ['tests/e2e/templates.test.ts', '%s runs through REST, and again from the cache'],
  ],
  '2.12/ResumeTraining': [['tests/e2e/templates.test.ts', '%s runs through REST, and again from the cache']],
  '4.1/6-memory': [
    [
      'packages/server/src/workflows/cache/disk-cache.test.ts',
      'queries the database once for many keys, and not for prefetched results of a workflow',
    ],
  ],
  '4.1/6-disk': [
    [
      'packages/server/src/workflows/cache/disk-cache.test.ts',
      'gives back what was put, also to the next service',
    ],
  ],
  '4.1/6-time': [
    [
      'packages/server/src/workflows/cache/disk-cache.test.ts',
      'lets results expire, but not while a run uses them',
    ],
  ],
  '5/authorization': [
    [
      'packages/server/src/service.test.ts',
      'an address that other machines reach needs a token before anything is opened',
    ],
  ],
  '6/client': [
    ['packages/server/src/training/socket/training-socket.test.ts', 'may send any message: it is ignored'],
  ],
  '7/500': [
    [
      'packages/server/src/http/internal-error.test.ts',
      'a defect is a 500 whose text stays in the log, under the id in the response',
    ],
  ],
  '8/jobs': [
    [
      'packages/server/src/training/life-cycle.test.ts',
      'is first in, first out, one job at a time on the CPU',
    ],
  ],
}
