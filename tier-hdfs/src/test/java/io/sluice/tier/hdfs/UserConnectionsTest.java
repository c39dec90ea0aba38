package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UserConnectionsTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private final HdfsClient server = HDFS.connect();
  private final UserConnections users = new UserConnections(server);

  @AfterEach
  void disconnect() {
    users.close();
    server.close();
  }

  private static boolean isOpen(HdfsClient client) {
    try {
      client.files().getFileStatus(new org.apache.hadoop.fs.Path("/"));
      return true;
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  void oneConnectionServesAllFilesOfAUser() throws IOException {
    try (FileAccess first = users.borrow("alice");
        FileAccess second = users.borrow("alice");
        FileAccess other = users.borrow("bob")) {
      assertThat(first.client()).isSameAs(second.client()).isNotSameAs(other.client());
      assertThat(first.client().calls().user().name()).isEqualTo("alice");
    }
    assertThat(users.size()).isEqualTo(2);
  }

  @Test
  void keepsFewConnectionsThatNobodyUsesAndAllThatSomebodyDoes() throws IOException {
    List<FileAccess> borrowed = new ArrayList<>();
    for (int i = 0; i < 3 * UserConnections.IDLE_MAX; i++) {
      borrowed.add(users.borrow("user" + i));
    }
    assertThat(users.size()).isEqualTo(borrowed.size());

    FileAccess kept = borrowed.remove(0);
    borrowed.forEach(FileAccess::close);
    borrowed.forEach(FileAccess::close); // once more, which must change nothing

    assertThat(users.size()).isEqualTo(UserConnections.IDLE_MAX + 1);
    try (FileAccess again = users.borrow("user0")) {
      assertThat(again.client()).isSameAs(kept.client());
    }
    kept.close();
    assertThat(users.size()).isEqualTo(UserConnections.IDLE_MAX);
  }

  @Test
  void closesWhatItLetsGo() throws IOException {
    FileAccess first = users.borrow("alice");
    HdfsClient client = first.client();
    first.close();
    assertThat(isOpen(client)).isTrue();
    for (int i = 0; i < UserConnections.IDLE_MAX; i++) {
      users.borrow("user" + i).close();
    }
    assertThat(isOpen(client)).isFalse();

    FileAccess last = users.borrow("bob");
    users.close();
    assertThat(isOpen(last.client())).isFalse();
    last.close();
    assertThatThrownBy(() -> users.borrow("alice")).isInstanceOf(IOException.class);
    assertThat(users.size()).isZero();
  }
}
