import { stringify } from 'yaml'
import { draftOf } from '../../forms/document'
import { setSetup } from './draft-store'

/** A new training that begins with this configuration. Other pages load it when they need it: YAML comes with it. */
export function beginWith(name: string, config: unknown): void {
  setSetup({ name, draft: draftOf(stringify(config)) })
}
