import { z } from 'zod'
import { PHRASES } from '../phrases/index.js'
import { NO_CONTROL_CHARACTERS } from '../validation/no-control-characters.js'

/** A user-defined name. */
export const printable = (longest: number) =>
  z.string().min(1).max(longest).regex(NO_CONTROL_CHARACTERS, { error: PHRASES.control_characters })
