import type { ReactNode } from 'react'
import { type ListedPanel, PanelList } from '../../components/panel-list'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CalibrationPlot } from './calibration'
import { Cases } from './cases'
import { Classes } from './classes'
import { Confusion } from './confusion'
import { DecisionPlot, PrPlot, RocPlot } from './curves'
import { Disagreement, Members } from './ensemble'
import type { Evidence } from './evidence'
import { MetricsPanel } from './metrics-panel'
import styles from './model-page.module.css'
import { NumberPlots } from './numbers'
import { Provenance } from './provenance'
import { useReliability } from './reliability/panels'
import { Subgroups } from './subgroups'
import { SurvivalPlots } from './survival'
import { ThresholdPanel } from './threshold-panel'
import type { KnownModel } from './use-evaluations'
import { Warnings } from './warnings'

/** All results, with the panels of each kind of task. An error in one panel does not affect the others. */
export function Panels({ model, ...evidence }: Evidence & { readonly model: KnownModel }) {
  const t = useText(text)
  const reliability = useReliability(evidence)
  const { result } = evidence.document
  const panels: ListedPanel[] = [
    { id: 'metrics', title: t('metrics.title'), content: <MetricsPanel {...evidence} /> },
  ]
  const add = (id: string, title: string, content: ReactNode) => panels.push({ id, title, content })
  if (result.warnings.length > 0) add('warnings', t('warnings.title'), <Warnings {...evidence} />)
  if (result.positive_class !== null) add('threshold', t('threshold.title'), <ThresholdPanel {...evidence} />)
  if (result.per_class) add('classes', t('classes.title'), <Classes {...evidence} />)
  if (result.classes) add('curves', t('curves.title'), <Curves {...evidence} />)
  if (result.confusion_matrix) add('confusion', t('confusion.title'), <Confusion {...evidence} />)
  if (result.regression) add('numbers', t('numbers.title'), <NumberPlots {...evidence} />)
  if (result.survival) add('survival', t('survival.title'), <SurvivalPlots {...evidence} />)
  add('subgroups', t('subgroups.title'), <Subgroups {...evidence} />)
  if (result.disagreement)
    add('disagreement', t('disagreement.title'), <Disagreement of={result.disagreement} />)
  if (model.ensemble) add('members', t('ensemble.members'), <Members ensemble={model.ensemble} />)
  panels.push(...reliability)
  panels.push({ id: 'cases', title: t('cases.title'), content: <Cases {...evidence} />, height: 30 })
  return (
    <>
      <Provenance document={evidence.document} />
      <PanelList panels={panels} />
    </>
  )
}

function Curves(evidence: Evidence) {
  return (
    <div className={styles.plots}>
      <RocPlot {...evidence} />
      <PrPlot {...evidence} />
      <CalibrationPlot {...evidence} />
      <DecisionPlot {...evidence} />
    </div>
  )
}
