package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentFileNameTest {
  @Test
  void saysWhatTheNameSays() {
    SegmentFileName name =
        new SegmentFileName(
            0x1F, new ShuffleKey(ApplicationId.of(0x1234, -2), Integer.MAX_VALUE, 3));

    assertThat(name.path())
        .isEqualTo(
            "segments/000000000000001f-00000000-0000-1234-ffff-fffffffffffe-2147483647-3.seg");
    assertThat(SegmentFileName.parse(name.path().substring("segments/".length()))).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fa", "ar-EG", "ne", "my", "th-TH-u-nu-thai", "tr", "de"})
  void isTheSameInEveryLocale(String tag) {
    String root =
        new SegmentFileName(0x1F, new ShuffleKey(ApplicationId.of(1, 2), 1234567890, 3)).file();
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag(tag));
    try {
      SegmentFileName parsed = SegmentFileName.parse(root);

      assertThat(parsed).isNotNull();
      assertThat(parsed.file())
          .isEqualTo(root)
          .isEqualTo("000000000000001f-00000000-0000-0001-0000-000000000002-1234567890-3.seg");
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "000000000000001f-00000000-0000-1234-ffff-fffffffffffe-1-3.seg.tmp",
        "1f-00000000-0000-1234-ffff-fffffffffffe-1-3.seg",
        "000000000000001F-00000000-0000-1234-ffff-fffffffffffe-1-3.seg",
        "f00000000000001f-00000000-0000-1234-ffff-fffffffffffe-1-3.seg",
        "000000000000001f-00000000-0000-1234-ffff-fffffffffffe-01-3.seg",
        "000000000000001f-00000000-0000-1234-ffff-fffffffffffe-2147483648-3.seg",
        "000000000000001f-00000000-0000-1234-ffff-fffffffffffe-1--3.seg"
      })
  void refusesEveryOtherName(String name) {
    assertThat(SegmentFileName.parse(name)).isNull();
  }
}
