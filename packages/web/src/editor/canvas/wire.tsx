import { BaseEdge, type Edge, type EdgeProps, getBezierPath } from '@xyflow/react'
import { use, useSyncExternalStore } from 'react'
import { useServiceText } from '../../components/service-text'
import { useInferredSummary } from '../panel/inferred-summary'
import { EditorContext, OpenResultContext, useNodeState } from '../state/context'
import styles from './flow-canvas.module.css'

/** Label of a selected or adjacent wire: the transferred value, or its inferred type before a run. Other wires show only their conversion. */
export type WireEdge = Edge<{ readonly converter: string | null }, 'wire'>

const MAX_LABEL = 44
/** A shorter label is not informative; the connection panel contains the full text. */
const MIN_LABEL = 8
/** Label size in canvas pixels: width of a letter, and the free space at both ends. */
const LETTER = 6
const ENDS = 36

export function Wire({ source, sourceHandleId, data, markerEnd, ...props }: EdgeProps<WireEdge>) {
  const output = useNodeState(source)?.outputs[sourceHandleId ?? '']
  const textOf = useServiceText()
  const openResult = use(OpenResultContext)
  const inferred = useInferredLabel(source, sourceHandleId ?? '')
  const [path, labelX, labelY] = getBezierPath(props)
  const words = [
    data?.converter,
    output === undefined ? inferred : textOf(output.summary, output.summary_phrases),
  ]
    .filter(Boolean)
    .join(' · ')
  const label = truncate(words, Math.hypot(props.targetX - props.sourceX, props.targetY - props.sourceY))
  const shown =
    output === undefined || !openResult ? (
      label
    ) : (
      // biome-ignore lint/a11y/noStaticElementInteractions: with the keyboard, the port and the wire in the panel lead there.
      <tspan className={styles.result} onClick={() => openResult(source, sourceHandleId ?? '')}>
        {label}
      </tspan>
    )
  return <BaseEdge path={path} labelX={labelX} labelY={labelY} {...(label === '' ? {} : { label: shown })} />
}

/** Shortens a label to the space between the two nodes, so that it does not cover them. */
function truncate(words: string, distance: number): string {
  const maxLength = Math.min(MAX_LABEL, Math.floor((distance - ENDS) / LETTER))
  if (words.length <= maxLength) return words
  return maxLength < MIN_LABEL ? '' : `${words.slice(0, maxLength - 1)}…`
}

/** Only in the editor: a finished run has no values that are still to be inferred. */
function useInferredLabel(node: string, port: string): string | null {
  const checker = use(EditorContext)?.checker
  const check = useSyncExternalStore(checker?.subscribe ?? noSubscription, () => checker?.result() ?? null)
  return useInferredSummary(check?.values[node]?.[port])
}

const noSubscription = () => () => undefined
