import { z } from 'zod'

/**
 * A code on the wire. Written values are catalogued codes, which the type enforces; any string is read, because stored data and newer
 * services may hold codes that this version does not know.
 */
export function openCode<Code extends string>(description: string): z.ZodType<Code, Code> {
  return z.string().meta({ description }) as unknown as z.ZodType<Code, Code>
}
