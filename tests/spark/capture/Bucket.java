package headwater.tests;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Buckets and clusters of any scheme, kept in a local folder: `headwater.tests.buckets`, one folder for each authority. */
public class Bucket extends RawLocalFileSystem {
    private URI uri;
    private String folder;

    public void initialize(URI uri, Configuration conf) throws IOException {
        super.initialize(uri, conf);
        this.uri = URI.create(uri.getScheme() + "://" + uri.getAuthority());
        this.folder = conf.get("headwater.tests.buckets") + "/" + uri.getAuthority();
        setWorkingDirectory(new Path(this.uri + "/"));
    }

    public URI getUri() {
        return uri;
    }

    public File pathToFile(Path path) {
        return new File(folder + path.toUri().getPath());
    }

    public Path getHomeDirectory() {
        return new Path(uri + "/");
    }

    protected Path getInitialWorkingDirectory() {
        return null;
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        FileStatus status = super.getFileStatus(path);
        status.setPath(path);
        return status;
    }
}
