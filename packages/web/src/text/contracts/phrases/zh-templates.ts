export const templateQuestions = {
  // ADNI (table ADNIMERGE)
  adni_scores:
    'CDRSB、MMSE 和 LDELTOTAL 是诊断标准，因此不作为输入。其他记忆和功能测试（ADAS、RAVLT、FAQ、Ecog）与诊断密切相关：使用模型时它们是否已知？',
  adni_rows: '一个病例是基线访视的一名参与者。没有诊断的访视被排除。',
  adni_images: 'ADNIMERGE 不含图像文件名。如需使用下载的图像，请添加 data.recipe.images。',
  // Brain Imaging Data Structure (BIDS)
  bids_label: 'participants.tsv 或 sessions 表中的哪一列是标签，例如 group 或 diagnosis？',
  bids_files:
    '一个病例是一张 T1w 图像；每个 run 和每个 session 都是其参与者的一行。若用其他对比，请在模式中修改 T1w。',
  // BreakHis
  breakhis_label: '标签是良性对恶性，还是八种肿瘤类型之一？',
  breakhis_label_1: '良性或恶性',
  breakhis_label_2: '八种肿瘤类型',
  breakhis_files:
    '每份组织以 40X、100X、200X 和 400X 拍摄，全部读取。若只用一种放大倍数，请在模式中用它代替占位符 magnification，并从 data.ignore_columns 中去掉 magnification。',
  // Breast Ultrasound Images (BUSI)
  busi_label: '标签是三个类别之一，还是恶性对其他？',
  busi_label_1: '良性、恶性或正常',
  busi_label_2: '是否恶性',
  busi_patient: '未公布患者（600 名患者的 780 张图像），因此同一患者的图像可能在两个划分中。',
  // cBioPortal (METABRIC, TCGA and others)
  cbioportal_treatments:
    '治疗（CHEMOTHERAPY、HORMONE_THERAPY、RADIO_THERAPY、RADIATION_THERAPY）在诊断之后选定。若使用模型时尚不知道，请忽略它们。',
  cbioportal_rows: '一个病例是一名患者及其第一个样本。没有大于 0 的随访时间或没有状态的患者被排除。',
  // CBIS-DDSM
  cbis_ddsm_files:
    '该配方读取肿块。钙化的表（calc_case_description_train_set.csv）有自己的列，其部分图像也含有肿块：请单独训练，在 path 中用 calc 代替 mass，并将 calc type 和 calc distribution 加入 data.ignore_columns。',
  cbis_ddsm_descriptors:
    '放射科医生的描述（mass shape、margins、assessment、subtlety）不作为输入，因为它们已经对病灶作出判断。若使用模型时已知，请将其从列表中去掉。',
  // CheXpert
  chexpert_uncertain: '不确定的发现（-1）表示什么？空单元格（未提及）为阴性，与论文一致。',
  chexpert_uncertain_1: '缺失（U-Ignore）',
  chexpert_uncertain_2: '阳性（U-Ones）',
  chexpert_uncertain_3: '阴性（U-Zeros）',
  chexpert_uncertain_4: '排除该图像',
  chexpert_label:
    '标签为 CheXpert 竞赛的五项发现。如需其他发现，请修改 findings；若只用一项，请只列出这一项。',
  chexpert_rows: '一个病例是一张图像，还是有一张正位图像的一次检查？',
  chexpert_rows_1: '一张图像',
  chexpert_rows_2: '一次检查，取其第一张正位图像',
  // HAM10000
  ham10000_label: '标签是七种诊断之一，还是恶性对良性？akiec 包括光化性角化病和上皮内癌。',
  ham10000_label_1: '七种诊断',
  ham10000_label_2: '恶性（mel、bcc、akiec）或良性',
  ham10000_patient: '未公布患者。图像按病灶分组，因此同一患者的两个病灶可能在两个划分中。',
  // ISIC 2019
  isic_2019_label: '标签是八种诊断之一，还是恶性对良性？光化性角化病（AK）是癌的前驱病变。',
  isic_2019_label_1: '八种诊断',
  isic_2019_label_2: '恶性（MEL、BCC、SCC）或良性，AK 为良性',
  isic_2019_patient: '未公布患者，且部分图像没有病灶编号。这些图像各自算作一个病灶。',
  // ISIC 2020 (SIIM-ISIC)
  isic_2020_files:
    'ISIC_2020_Training_Duplicates.csv 列出成对的相同图像，其中一些属于两名患者。检查会报告它们；请每对去掉一张图像。',
  // MedMNIST
  medmnist_patient: 'MedMNIST 不含患者，因此按原样使用其划分。',
  medmnist_label:
    'ChestMNIST 的列 label_0 至 label_13 是 NIH ChestX-ray14 的发现：肺不张、心脏扩大、积液、浸润、肿块、结节、肺炎、气胸、实变、水肿、肺气肿、纤维化、胸膜增厚、疝。',
  medmnist_files: '每个文件夹读取一个归档文件；不识别三维数据集。',
  // MIMIC-CXR and MIMIC-CXR-JPG
  mimic_cxr_uncertain: '不确定的发现（-1）表示什么？空单元格（未提及）为阴性，与论文一致。',
  mimic_cxr_uncertain_1: '缺失（U-Ignore）',
  mimic_cxr_uncertain_2: '阳性（U-Ones）',
  mimic_cxr_uncertain_3: '阴性（U-Zeros）',
  mimic_cxr_uncertain_4: '排除该图像',
  mimic_cxr_label:
    '标签为 CheXpert 竞赛的五项发现。如需其他发现，请修改 findings；若只用一项，请只列出这一项。',
  mimic_cxr_rows: '一个病例是一张图像，还是有一张正位图像的一次检查？',
  mimic_cxr_rows_1: '一张图像',
  mimic_cxr_rows_2: '一次检查，取其第一张正位图像（PA 或 AP）',
  // NIH ChestX-ray14
  nih_chest_xray14_label:
    '标签含全部 14 项发现。若只对其中一项分类，请在 findings 中只列出这一项，并将其余列在 none 中。',
  // NSCLC-Radiomics (Lung1) of The Cancer Imaging Archive
  nsclc_radiomics_window: '模型读取哪个 CT 值（HU）窗？软组织可用窗位 40、窗宽 400。',
  // OASIS-1 (cross-sectional)
  oasis_1_label: '60 岁以下的参与者大多没有 CDR，因此被排除。是否改为算作无痴呆？',
  oasis_1_label_1: '排除没有 CDR 的参与者',
  oasis_1_label_2: '没有 CDR 即无痴呆',
  oasis_1_images:
    '图像为 Analyze 文件（.hdr、.img），Medloom 不读取。请转换为 NIfTI，并添加 data.recipe.images。',
  // OASIS-2 (longitudinal)
  oasis_2_label: 'Converted 组的参与者首次访视时无痴呆，之后出现痴呆。他们是否单独成为一个类别？',
  oasis_2_label_1: '三个组',
  oasis_2_label_2: '任一访视有无痴呆',
  oasis_2_scores: '组别由 CDR 得出，因此 CDR 不作为输入。MMSE 与组别密切相关：使用模型时它是否已知？',
  // REDCap export
  redcap_label: '哪个字段是标签？',
  redcap_rows:
    '在纵向项目中，标签和输入在哪个事件中？请在 data.recipe.rows 中将 case 设为 [record_id]、visit.column 设为 redcap_event_name、visit.values 设为事件名、rule 设为 first。其他事件的字段随后为空。',
  redcap_missing: '导出文件含有代码（1、2）或标签（Male、Female）。请列出表示缺失值的代码，例如 -9 或 99。',
  // RSNA Pneumonia Detection Challenge
  rsna_pneumonia_label: '标签是有无阴影，还是 stage_2_detailed_class_info.csv 的三个类别之一？',
  rsna_pneumonia_label_1: '有无肺炎',
  rsna_pneumonia_label_2: '三个类别',
  rsna_pneumonia_patient:
    'patientId 表示一张图像。这些图像是 NIH ChestX-ray14 的一部分；stage_2 不含其患者，因此同一患者的图像可能在两个划分中。',
  // Collection of The Cancer Imaging Archive (TCIA)
  tcia_join:
    '哪个临床表含有标签？请将它加入 files，并将其患者列与 Subject ID 关联（keep: matched）。然后设置 data.recipe.label。',
  tcia_rows: '一个病例是一个含图像的序列；分割、结构、剂量和报告被排除。请选择模型读取的模态和序列。',
  // UK Biobank
  uk_biobank_label: '哪个字段是标签？',
  uk_biobank_missing:
    '在常用字段中，-1（不知道）和 -3（不愿回答）为缺失，在小时数和份数字段中 -10（少于一）也是缺失。请添加其他含有此类代码的字段。',
  uk_biobank_visits:
    '后续访视的列（-1.0、-2.0、-3.0，或 _i1 至 _i3）在首次访视多年之后才知道。请忽略模型不得读取的列，并去掉已退出的参与者。',
  uk_biobank_files: '读取第一个匹配的表。若有多个，请写明所指的表。',
} as const
