import type { ReactNode } from 'react'
import { Icon } from '../../components/icon'
import { type ListedPanel, PanelList } from '../../components/panel-list'
import { WarningText } from '../../components/warning-text'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CalibrationPlot } from './calibration'
import { Cases } from './cases'
import { Classes } from './classes'
import { Confusion } from './confusion'
import { DecisionPlot, PrPlot, RocPlot } from './curves'
import { Disagreement, Members } from './ensemble'
import { EvaluationProvenance } from './evaluation-provenance'
import { MetricsPanel } from './metrics-panel'
import styles from './model-page.module.css'
import { RegressionPlots } from './regression-plots'
import { useReliability } from './reliability/panels'
import { Subgroups } from './subgroups'
import { SurvivalPlots } from './survival'
import { ThresholdPanel } from './threshold-panel'
import type { Model } from './use-evaluations'
import type { EvaluationViewProps } from './view-props'

/** All results, with the panels of each kind of task. An error in one panel does not affect the others. */
export function Panels({ model, ...props }: EvaluationViewProps & { readonly model: Model }) {
  const t = useText(text)
  const reliability = useReliability(props)
  const { result } = props.document
  const panels: ListedPanel[] = [
    { id: 'metrics', title: t('metrics.title'), content: <MetricsPanel {...props} /> },
  ]
  const add = (id: string, title: string, content: ReactNode) => panels.push({ id, title, content })
  if (result.warnings.length > 0) add('warnings', t('warnings.title'), <Warnings {...props} />)
  if (result.positive_class !== null) add('threshold', t('threshold.title'), <ThresholdPanel {...props} />)
  if (result.per_class) add('classes', t('classes.title'), <Classes {...props} />)
  if (result.classes) add('curves', t('curves.title'), <Curves {...props} />)
  if (result.confusion_matrix) add('confusion', t('confusion.title'), <Confusion {...props} />)
  if (result.regression) add('numbers', t('numbers.title'), <RegressionPlots {...props} />)
  if (result.survival) add('survival', t('survival.title'), <SurvivalPlots {...props} />)
  add('subgroups', t('subgroups.title'), <Subgroups {...props} />)
  if (result.disagreement)
    add('disagreement', t('disagreement.title'), <Disagreement disagreement={result.disagreement} />)
  if (model.ensemble) add('members', t('ensemble.members'), <Members ensemble={model.ensemble} />)
  panels.push(...reliability)
  panels.push({ id: 'cases', title: t('cases.title'), content: <Cases {...props} />, height: 30 })
  return (
    <>
      <EvaluationProvenance document={props.document} />
      <PanelList panels={panels} />
    </>
  )
}

function Curves(props: EvaluationViewProps) {
  return (
    <div className={styles.plots}>
      <RocPlot {...props} />
      <PrPlot {...props} />
      <CalibrationPlot {...props} />
      <DecisionPlot {...props} />
    </div>
  )
}

/** Warnings about the interpretation of the results. */
function Warnings({ document: { result } }: EvaluationViewProps) {
  return (
    <ul className={styles.warnings}>
      {result.warnings.map(({ code, message, message_phrases: phrases }) => (
        <li key={`${code} ${message}`}>
          <Icon name="bad" />
          <span>
            <WarningText {...{ code, message, phrases }} /> <code className={styles.soft}>{code}</code>
          </span>
        </li>
      ))}
    </ul>
  )
}
