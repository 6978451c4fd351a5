import { expect, test } from 'vitest'
import { fairShare } from './fair-share.js'

test.each([
  [1, 1],
  [2, 1],
  [5, 2],
])('of %i slots, a user without a quota gets %i', (most, share) => expect(fairShare(most)).toBe(share))
