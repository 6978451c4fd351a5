import { z } from 'zod'

export const Timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' })
