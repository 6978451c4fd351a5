import { NODES } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { type KeyParts, keyParts } from '../cache/cache-key.js'
import { EMPTY_KEY_CONTEXT } from '../cache/key-context.js'
import { cacheMissReason } from './cache-miss-reason.js'

const fusion = NODES.SelectFusion

function partsOf(config: object): KeyParts {
  const complete = fusion.config.parse(config)
  return keyParts({ id: 'fusion', type: 'SelectFusion' }, fusion, complete, [], EMPTY_KEY_CONTEXT)
}

/** Values stored by a version without ensembles. */
function older(): KeyParts {
  const { members: _, linear_share: __, ...config } = partsOf({}).config
  return { ...partsOf({}), config }
}

it('a field that an older version did not have is not a change of the configuration', () => {
  const added = ['new field linear_share', 'new field members'].map((name) => ({ what: 'version', name }))
  expect(cacheMissReason(partsOf({}), older(), fusion)).toEqual(['implementation_changed', added])
  const pinned = partsOf({ members: 1, linear_share: 0 })
  expect(cacheMissReason(pinned, older(), fusion)).toEqual(['implementation_changed', added])
  expect(cacheMissReason(older(), partsOf({}), fusion)[0]).toBe('implementation_changed')
})

it('a field that an older version did not have is one when somebody has set it', () => {
  expect(cacheMissReason(partsOf({ members: 3 }), older(), fusion)).toEqual([
    'config_changed',
    [{ what: 'field', name: 'members' }],
  ])
})
