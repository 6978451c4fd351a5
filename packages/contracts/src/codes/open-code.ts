import { z } from 'zod'

/**
 * A code in a message. Written values are codes of the catalog, which the type enforces; any string can be read, because stored data and
 * newer services may contain codes that this version does not know.
 */
export function openCode<Code extends string>(description: string): z.ZodType<Code, Code> {
  return z.string().meta({ description }) as unknown as z.ZodType<Code, Code>
}
