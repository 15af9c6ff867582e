package android.os;

/** What can be written into a parcel and read from it. */
public interface Parcelable {
    int CONTENTS_FILE_DESCRIPTOR = 1;
    int PARCELABLE_WRITE_RETURN_VALUE = 1;

    int describeContents();

    void writeToParcel(Parcel parcel, int flags);

    /** The public static field CREATOR of each such class. */
    interface Creator<T> {
        T createFromParcel(Parcel parcel);

        T[] newArray(int size);
    }
}
